#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

_Static_assert(EPOLLIN == REVEILLE_LINUX_EPOLL_IN, "epoll bits are the kernel's");
_Static_assert(EPOLLOUT == REVEILLE_LINUX_EPOLL_OUT, "epoll bits are the kernel's");
_Static_assert(EPOLLERR == REVEILLE_LINUX_EPOLL_ERROR, "epoll bits are the kernel's");
_Static_assert(EPOLLHUP == REVEILLE_LINUX_EPOLL_HANGUP, "epoll bits are the kernel's");
_Static_assert(EPOLLRDHUP == REVEILLE_LINUX_EPOLL_READ_HANGUP, "epoll bits are the kernel's");

static int result_of(int value) { return value < 0 ? -errno : value; }
static int64_t size_result_of(ssize_t value) { return value < 0 ? -(int64_t)errno : (int64_t)value; }

// MARK: epoll

int reveille_linux_epoll_create(void) { return result_of(epoll_create1(EPOLL_CLOEXEC)); }

static int epoll_change(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.u64 = data;
    return result_of(epoll_ctl(epoll, operation, descriptor, &event));
}

int reveille_linux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data) {
    return epoll_change(epoll, EPOLL_CTL_ADD, descriptor, events, data);
}

int reveille_linux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data) {
    return epoll_change(epoll, EPOLL_CTL_MOD, descriptor, events, data);
}

int reveille_linux_epoll_remove(int epoll, int descriptor) {
    return epoll_change(epoll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int reveille_linux_epoll_wait(int epoll, struct reveille_linux_event *events, int capacity, int milliseconds) {
#if defined(__x86_64__)
    _Static_assert(sizeof(struct reveille_linux_event) == sizeof(struct epoll_event), "same layout");
    int count = epoll_wait(epoll, (struct epoll_event *)(void *)events, capacity, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    return count;
#else
    // The kernel's structure is packed on x86-64 only: elsewhere the events are copied.
    struct epoll_event native[256];
    if (capacity > 256) capacity = 256;
    int count = epoll_wait(epoll, native, capacity, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        events[i].events = native[i].events;
        events[i].data = native[i].data.u64;
    }
    return count;
#endif
}

// MARK: eventfd, timerfd

int reveille_linux_eventfd_create(int blocking) {
    return result_of(eventfd(0, EFD_CLOEXEC | (blocking ? 0 : EFD_NONBLOCK)));
}

int reveille_linux_eventfd_signal(int descriptor) {
    const uint64_t one = 1;
    for (;;) {
        if (write(descriptor, &one, sizeof one) >= 0 || errno == EAGAIN) return 0;
        if (errno != EINTR) return -errno;
    }
}

int reveille_linux_timerfd_create(void) {
    return result_of(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
}

int reveille_linux_timerfd_arm(int descriptor, int64_t nanoseconds) {
    struct itimerspec when;
    memset(&when, 0, sizeof when);
    if (nanoseconds > 0) {
        when.it_value.tv_sec = nanoseconds / 1000000000;
        when.it_value.tv_nsec = nanoseconds % 1000000000;
    }
    return result_of(timerfd_settime(descriptor, 0, &when, NULL));
}

// MARK: signals by self-pipe

#define SIGNAL_LIMIT 65
/// The pipe of each routed signal, plus one; zero means none. Lock-free, for it is read in a signal handler.
static _Atomic int signal_pipes[SIGNAL_LIMIT];

static void deliver_signal(int signal) {
    const int saved = errno;
    if (signal > 0 && signal < SIGNAL_LIMIT) {
        const int pipe = atomic_load(&signal_pipes[signal]);
        const unsigned char number = (unsigned char)signal;
        if (pipe > 0) {
            ssize_t ignored = write(pipe - 1, &number, 1);
            (void)ignored;
        }
    }
    errno = saved;
}

static int set_action(int signal, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    return result_of(sigaction(signal, &action, NULL));
}

int reveille_linux_signal_route(int signal, int descriptor) {
    if (signal <= 0 || signal >= SIGNAL_LIMIT) return -EINVAL;
    atomic_store(&signal_pipes[signal], descriptor + 1);
    return set_action(signal, deliver_signal);
}

int reveille_linux_signal_unroute(int signal, int descriptor) {
    if (signal <= 0 || signal >= SIGNAL_LIMIT) return -EINVAL;
    int expected = descriptor + 1;
    if (!atomic_compare_exchange_strong(&signal_pipes[signal], &expected, 0)) return 0;
    return set_action(signal, SIG_DFL);
}

int reveille_linux_signal_ignore(int signal) { return set_action(signal, SIG_IGN); }

// MARK: descriptors

int reveille_linux_pipe_create(int *read_end, int *write_end, int blocking) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | (blocking ? 0 : O_NONBLOCK)) < 0) return -errno;
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

int reveille_linux_close(int descriptor) {
    // After EINTR the state of the descriptor is, on Linux, closed: never retry.
    return close(descriptor) < 0 && errno != EINTR ? -errno : 0;
}

int64_t reveille_linux_read(int descriptor, void *bytes, size_t count) {
    ssize_t result;
    do { result = read(descriptor, bytes, count); } while (result < 0 && errno == EINTR);
    return size_result_of(result);
}

int64_t reveille_linux_write(int descriptor, const void *bytes, size_t count) {
    ssize_t result;
    do { result = write(descriptor, bytes, count); } while (result < 0 && errno == EINTR);
    return size_result_of(result);
}

int reveille_linux_set_nonblocking(int descriptor) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -errno;
    return result_of(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

int reveille_linux_reserve(int descriptor, int64_t offset, int64_t count) {
    return result_of(fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, count));
}

// MARK: sockets

int reveille_linux_socket(int domain, int type) {
    return result_of(socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int reveille_linux_connect(int descriptor, const struct sockaddr *address, socklen_t length) {
    return result_of(connect(descriptor, address, length));
}

int reveille_linux_bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    return result_of(bind(descriptor, address, length));
}

int reveille_linux_listen(int descriptor, int backlog) { return result_of(listen(descriptor, backlog)); }

int reveille_linux_accept(int descriptor, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    int result;
    do {
        result = accept4(descriptor, (struct sockaddr *)address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    } while (result < 0 && errno == EINTR);
    return result_of(result);
}

int reveille_linux_local_address(int descriptor, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    return result_of(getsockname(descriptor, (struct sockaddr *)address, length));
}

int reveille_linux_peer_address(int descriptor, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    return result_of(getpeername(descriptor, (struct sockaddr *)address, length));
}

int64_t reveille_linux_receive(int descriptor, void *bytes, size_t count) {
    ssize_t result;
    do { result = recv(descriptor, bytes, count, 0); } while (result < 0 && errno == EINTR);
    return size_result_of(result);
}

int64_t reveille_linux_send(int descriptor, const void *bytes, size_t count) {
    ssize_t result;
    do { result = send(descriptor, bytes, count, MSG_NOSIGNAL); } while (result < 0 && errno == EINTR);
    return size_result_of(result);
}

int reveille_linux_shutdown_write(int descriptor) { return result_of(shutdown(descriptor, SHUT_WR)); }

int reveille_linux_socket_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return errno;
    return error;
}

int reveille_linux_set_option(int descriptor, int level, int name, int value) {
    return result_of(setsockopt(descriptor, level, name, &value, sizeof value));
}

int reveille_linux_get_option(int descriptor, int level, int name, int *value) {
    socklen_t length = sizeof *value;
    return result_of(getsockopt(descriptor, level, name, value, &length));
}

int reveille_linux_set_reset_on_close(int descriptor) {
    const struct linger linger = {.l_onoff = 1, .l_linger = 0};
    return result_of(setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

const int REVEILLE_LINUX_SOL_SOCKET = SOL_SOCKET;
const int REVEILLE_LINUX_SO_REUSEADDR = SO_REUSEADDR;
const int REVEILLE_LINUX_SO_REUSEPORT = SO_REUSEPORT;
const int REVEILLE_LINUX_SO_KEEPALIVE = SO_KEEPALIVE;
const int REVEILLE_LINUX_SO_RCVBUF = SO_RCVBUF;
const int REVEILLE_LINUX_SO_SNDBUF = SO_SNDBUF;
const int REVEILLE_LINUX_IPPROTO_TCP = IPPROTO_TCP;
const int REVEILLE_LINUX_TCP_NODELAY = TCP_NODELAY;
const int REVEILLE_LINUX_TCP_KEEPIDLE = TCP_KEEPIDLE;
const int REVEILLE_LINUX_TCP_KEEPINTVL = TCP_KEEPINTVL;
const int REVEILLE_LINUX_TCP_KEEPCNT = TCP_KEEPCNT;
const int REVEILLE_LINUX_TCP_USER_TIMEOUT = TCP_USER_TIMEOUT;
const int REVEILLE_LINUX_IPPROTO_IPV6 = IPPROTO_IPV6;
const int REVEILLE_LINUX_IPV6_V6ONLY = IPV6_V6ONLY;

// MARK: time, randomness, locks, threads

static int64_t nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t reveille_linux_boot_time(void) { return nanoseconds_of(CLOCK_BOOTTIME); }
int64_t reveille_linux_wall_time(void) { return nanoseconds_of(CLOCK_REALTIME); }

int reveille_linux_random(void *bytes, size_t count) {
    unsigned char *next = bytes;
    while (count > 0) {
        const ssize_t got = getrandom(next, count, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        next += got;
        count -= (size_t)got;
    }
    return 0;
}

static int lock_whole_file(int descriptor, int command, short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    if (fcntl(descriptor, command, &lock) < 0) return errno == EACCES ? -EAGAIN : -errno;
    return command == F_OFD_GETLK ? lock.l_type != F_UNLCK : 0;
}

int reveille_linux_lock_exclusive(int descriptor) { return lock_whole_file(descriptor, F_OFD_SETLK, F_WRLCK); }
int reveille_linux_lock_shared(int descriptor) { return lock_whole_file(descriptor, F_OFD_SETLK, F_RDLCK); }
int reveille_linux_unlock(int descriptor) { return lock_whole_file(descriptor, F_OFD_SETLK, F_UNLCK); }
int reveille_linux_lock_is_held(int descriptor) { return lock_whole_file(descriptor, F_OFD_GETLK, F_WRLCK); }

void reveille_linux_set_thread_name(const char *name) {
    char cut[16] = {0};
    strncpy(cut, name, sizeof cut - 1);
    pthread_setname_np(pthread_self(), cut);
}

int reveille_linux_forbid_core_dumps(void) { return result_of(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }

int reveille_linux_set_parent_death_signal(int signal) {
    return result_of(prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0));
}

static _Thread_local const void *current_executor;

const void *reveille_linux_current_executor(void) { return current_executor; }
void reveille_linux_set_current_executor(const void *executor) { current_executor = executor; }

/// The Linux system calls that Swift's Glibc module lacks, and thin forms of a few that it has.
///
/// Every function returns a result of zero or more, or the negated errno value. No caller ever reads `errno`: it is a
/// thread-local that an async function may read from the wrong thread.
///
/// This header must not define _GNU_SOURCE: the standard headers would then differ from those that Swift's Glibc module
/// was built with.
#ifndef REVEILLE_CLINUX_H
#define REVEILLE_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: epoll

/// One ready descriptor, as `reveille_linux_epoll_wait` reports it. Laid out like the kernel's packed structure.
struct reveille_linux_event {
    uint32_t events;
    uint64_t data;
} __attribute__((packed));

/// Readiness bits of `events`; the values are the kernel's.
enum {
    REVEILLE_LINUX_EPOLL_IN = 0x001,
    REVEILLE_LINUX_EPOLL_OUT = 0x004,
    REVEILLE_LINUX_EPOLL_ERROR = 0x008,
    REVEILLE_LINUX_EPOLL_HANGUP = 0x010,
    REVEILLE_LINUX_EPOLL_READ_HANGUP = 0x2000,
};
/// Edge-triggered delivery; apart because bit 31 does not fit an enumeration constant.
static const uint32_t REVEILLE_LINUX_EPOLL_EDGE = UINT32_C(1) << 31;

int reveille_linux_epoll_create(void);
int reveille_linux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data);
int reveille_linux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data);
int reveille_linux_epoll_remove(int epoll, int descriptor);
/// Waits for up to `milliseconds` (-1: without end). An interruption by a signal counts as zero events.
int reveille_linux_epoll_wait(int epoll, struct reveille_linux_event *events, int capacity, int milliseconds);

// MARK: eventfd, timerfd

/// A close-on-exec event counter; reading it waits, or not, as `blocking` says.
int reveille_linux_eventfd_create(int blocking);
/// Adds one to the counter; a full counter is success, since a reader then has something to see.
int reveille_linux_eventfd_signal(int descriptor);
/// A non-blocking timer on CLOCK_BOOTTIME, which runs through suspend.
int reveille_linux_timerfd_create(void);
/// Arms the timer once, `nanoseconds` from now; zero or less disarms it.
int reveille_linux_timerfd_arm(int descriptor, int64_t nanoseconds);

// MARK: signals by self-pipe

/// Delivers `signal` as one byte (its number) into `descriptor`, a non-blocking pipe end, from now on.
int reveille_linux_signal_route(int signal, int descriptor);
/// Restores the default action, if `signal` is routed to `descriptor`.
int reveille_linux_signal_unroute(int signal, int descriptor);
int reveille_linux_signal_ignore(int signal);

// MARK: descriptors

int reveille_linux_pipe_create(int *read_end, int *write_end, int blocking);
int reveille_linux_close(int descriptor);
int64_t reveille_linux_read(int descriptor, void *bytes, size_t count);
int64_t reveille_linux_write(int descriptor, const void *bytes, size_t count);
int reveille_linux_set_nonblocking(int descriptor);
/// Sets room aside in a file, also behind its end, whose length and contents stay as they are.
int reveille_linux_reserve(int descriptor, int64_t offset, int64_t count);

// MARK: sockets

int reveille_linux_socket(int domain, int type);
int reveille_linux_connect(int descriptor, const struct sockaddr *address, socklen_t length);
int reveille_linux_bind(int descriptor, const struct sockaddr *address, socklen_t length);
int reveille_linux_listen(int descriptor, int backlog);
/// Accepts a connection as a non-blocking, close-on-exec descriptor.
int reveille_linux_accept(int descriptor, struct sockaddr_storage *address, socklen_t *length);
int reveille_linux_local_address(int descriptor, struct sockaddr_storage *address, socklen_t *length);
int reveille_linux_peer_address(int descriptor, struct sockaddr_storage *address, socklen_t *length);
int64_t reveille_linux_receive(int descriptor, void *bytes, size_t count);
/// Sends without SIGPIPE.
int64_t reveille_linux_send(int descriptor, const void *bytes, size_t count);
int reveille_linux_shutdown_write(int descriptor);
/// The pending error of a socket (SO_ERROR) as a positive errno value, zero for none.
int reveille_linux_socket_error(int descriptor);
int reveille_linux_set_option(int descriptor, int level, int name, int value);
int reveille_linux_get_option(int descriptor, int level, int name, int *value);
/// Close without lingering: the peer sees a reset.
int reveille_linux_set_reset_on_close(int descriptor);

/// Levels and names for `reveille_linux_set_option`.
extern const int REVEILLE_LINUX_SOL_SOCKET;
extern const int REVEILLE_LINUX_SO_REUSEADDR;
extern const int REVEILLE_LINUX_SO_REUSEPORT;
extern const int REVEILLE_LINUX_SO_KEEPALIVE;
extern const int REVEILLE_LINUX_SO_RCVBUF;
extern const int REVEILLE_LINUX_SO_SNDBUF;
extern const int REVEILLE_LINUX_IPPROTO_TCP;
extern const int REVEILLE_LINUX_TCP_NODELAY;
extern const int REVEILLE_LINUX_TCP_KEEPIDLE;
extern const int REVEILLE_LINUX_TCP_KEEPINTVL;
extern const int REVEILLE_LINUX_TCP_KEEPCNT;
extern const int REVEILLE_LINUX_TCP_USER_TIMEOUT;
extern const int REVEILLE_LINUX_IPPROTO_IPV6;
extern const int REVEILLE_LINUX_IPV6_V6ONLY;

// MARK: time, randomness, locks, threads

/// CLOCK_BOOTTIME in nanoseconds.
int64_t reveille_linux_boot_time(void);
/// CLOCK_REALTIME in nanoseconds since 1970 UTC.
int64_t reveille_linux_wall_time(void);
/// Fills the whole buffer from the kernel's generator.
int reveille_linux_random(void *bytes, size_t count);
/// Takes an exclusive open-file-description lock on the whole file without waiting; -EAGAIN when another holds it.
int reveille_linux_lock_exclusive(int descriptor);
int reveille_linux_lock_shared(int descriptor);
int reveille_linux_unlock(int descriptor);
/// Zero when nobody else holds a lock that an exclusive one would meet, one when somebody does.
int reveille_linux_lock_is_held(int descriptor);
/// Names the calling thread (cut to 15 bytes).
void reveille_linux_set_thread_name(const char *name);
/// Forbids core dumps and ptrace of this process by others of the same user.
int reveille_linux_forbid_core_dumps(void);
/// Asks the kernel to send `signal` to this process when its parent ends.
int reveille_linux_set_parent_death_signal(int signal);

/// The executor that the calling thread belongs to, or null. Kept here, in C, because Swift may move a thread-local's
/// read across a suspension.
const void *reveille_linux_current_executor(void);
void reveille_linux_set_current_executor(const void *executor);

#ifdef __cplusplus
}
#endif
#endif

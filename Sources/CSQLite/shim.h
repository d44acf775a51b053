#ifndef REVEILLE_CSQLITE_SHIM_H
#define REVEILLE_CSQLITE_SHIM_H
#include <sqlite3.h>

// Swift imports neither constants that are built by casts or shifts nor the destructor constants: each gets a name here.

static inline int reveille_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int reveille_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    // A null pointer would bind NULL instead of an empty blob.
    return length == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                       : sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// Statistics of memory cost a lock, shared by all connections, for each allocation.
static inline int reveille_sqlite_forgo_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static const int REVEILLE_SQLITE_IOERR_WRITE = SQLITE_IOERR_WRITE;
static const int REVEILLE_SQLITE_IOERR_FSYNC = SQLITE_IOERR_FSYNC;
static const int REVEILLE_SQLITE_IOERR_TRUNCATE = SQLITE_IOERR_TRUNCATE;
static const int REVEILLE_SQLITE_IOERR_DELETE = SQLITE_IOERR_DELETE;
static const int REVEILLE_SQLITE_IOERR_SHMMAP = SQLITE_IOERR_SHMMAP;
static const int REVEILLE_SQLITE_IOERR_SHMSIZE = SQLITE_IOERR_SHMSIZE;

#endif

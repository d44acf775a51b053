#ifndef REVEILLE_CSQLITE_SHIM_H
#define REVEILLE_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif

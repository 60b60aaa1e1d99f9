#include "CFile.h"

#include <malloc.h>
#include <stdint.h>

/* Scripts/build defines both: the first 12 digits of the commit, and the version of the compiler, 60301
   for 6.3.1; 0 if unknown. Numbers, because Swift reads them without pointers. */
#ifndef SIGNET_COMMIT
#define SIGNET_COMMIT 0
#endif
#ifndef SIGNET_COMPILER
#define SIGNET_COMPILER 0
#endif

/* In SignetCommands. */
void Signet_start(uint64_t commit, uint32_t compiler);

/* C's own main, because the Swift runtime looks its arguments up in /proc, and has none where that
   cannot be read. */
int main(int count, char **arguments)
{
    /* One heap for all threads: one of its own takes 64 MiB of address space for each, which a
       limit on it may not leave, and few threads allocate at once. */
    mallopt(M_ARENA_MAX, 1);
    CFile_fill_standard_streams();
    CFile_keep_arguments(count, arguments);
    Signet_start(SIGNET_COMMIT, SIGNET_COMPILER);
    return 70;
}

#include "CFile.h"

#include <malloc.h>

/* In SignetCommands. */
void Signet_start(void);

/* C's own main, because the Swift runtime looks its arguments up in /proc, and has none where that
   cannot be read. */
int main(int count, char **arguments)
{
    /* One heap for all threads: one of its own takes 64 MiB of address space for each, which a
       limit on it may not leave, and few threads allocate at once. */
    mallopt(M_ARENA_MAX, 1);
    CFile_fill_standard_streams();
    CFile_keep_arguments(count, arguments);
    Signet_start();
    return 70;
}

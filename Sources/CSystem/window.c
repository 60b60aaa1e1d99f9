#include "include/CWindow.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOT_COUNT = 64 };

/* What the handler looks at, which runs between any two instructions: a slot is free while start
   is 0, taken while it is 1, and an address otherwise, set after the end. */
typedef struct {
    _Atomic(uintptr_t) start;
    _Atomic(uintptr_t) end;
    atomic_int is_torn;
} Slot;

static Slot slots[SLOT_COUNT];
static struct sigaction previous;
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static uintptr_t page_size;

static void handle(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int saved = errno;
    const uintptr_t address = (uintptr_t)info->si_addr;
    /* A positive code: the system's own, for an access to memory. */
    for (int index = 0; info->si_code > 0 && index < SLOT_COUNT; index++) {
        Slot *slot = &slots[index];
        const uintptr_t start = atomic_load(&slot->start), end = atomic_load(&slot->end);
        if (start <= 1 || address < start || address >= end) continue;
        /* Zeros from here on; the access is then tried again. */
        const uintptr_t page = address & ~(page_size - 1);
        void *zeros = mmap(
            (void *)page, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros == MAP_FAILED) break;
        atomic_store(&slot->is_torn, 1);
        errno = saved;
        return;
    }
    /* None of ours: as if this handler were not. A signal that was sent does not come again. */
    sigaction(SIGBUS, &previous, NULL);
    if (info->si_code <= 0) raise(number);
    errno = saved;
}

static void install(void)
{
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

size_t CWindow_alignment(void)
{
    pthread_once(&installed, install);
    return page_size;
}

int CWindow_open(int descriptor, int64_t offset, size_t count, CWindow *window)
{
    pthread_once(&installed, install);
    int index = 0;
    for (;; index++) {
        if (index == SLOT_COUNT) return EMFILE;
        uintptr_t unused = 0;
        if (atomic_compare_exchange_strong(&slots[index].start, &unused, 1)) break;
    }
    void *bytes = mmap(NULL, count, PROT_READ, MAP_PRIVATE, descriptor, (off_t)offset);
    if (bytes == MAP_FAILED) {
        const int failure = errno;
        atomic_store(&slots[index].start, 0);
        return failure;
    }
    /* Only advice: the pages behind the window are read meanwhile. */
    (void)madvise(bytes, count, MADV_SEQUENTIAL);
    atomic_store(&slots[index].is_torn, 0);
    atomic_store(&slots[index].end, (uintptr_t)bytes + count);
    atomic_store(&slots[index].start, (uintptr_t)bytes);
    *window = (CWindow){.bytes = bytes, .count = count, .slot = index};
    return 0;
}

int CWindow_close(CWindow *window)
{
    Slot *slot = &slots[window->slot];
    atomic_store(&slot->start, 1);
    munmap((void *)window->bytes, window->count);
    const int is_torn = atomic_load(&slot->is_torn);
    atomic_store(&slot->start, 0);
    return is_torn;
}

#define _GNU_SOURCE
#include "include/CThread.h"

#include <sched.h>

int CThread_start(pthread_t *thread, void *(*body)(void *), void *context)
{
    cpu_set_t allowed, others;
    const int here = sched_getcpu();
    pthread_attr_t attributes;
    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0
        || pthread_attr_init(&attributes) != 0)
        return pthread_create(thread, NULL, body, context);
    others = allowed;
    CPU_CLR(here, &others);
    int failure = -1;
    if (CPU_COUNT(&others) > 0
        && pthread_attr_setaffinity_np(&attributes, sizeof others, &others) == 0) {
        failure = pthread_create(thread, &attributes, body, context);
        /* The thread may move from now on. */
        if (failure == 0) pthread_setaffinity_np(*thread, sizeof allowed, &allowed);
    }
    pthread_attr_destroy(&attributes);
    return failure == 0 ? 0 : pthread_create(thread, NULL, body, context);
}

static _Thread_local void *places;

void *CThread_places(void) { return places; }
void CThread_set_places(void *new_places) { places = new_places; }

static _Thread_local void *run;

void *CThread_run(void) { return run; }
void CThread_set_run(void *new_run) { run = new_run; }

#ifndef CTHREAD_H
#define CTHREAD_H

#include <pthread.h>

/* Starts a thread on another processor than the caller's. By default, the system starts it on
   the same processor. It moves one of them to an idle processor only milliseconds later, longer
   than most work takes. Returns 0 or an error number. */
int CThread_start(pthread_t *thread, void *(*body)(void *), void *context);

/* A pointer of the current thread: NULL until it is set. */
void *CThread_places(void);
void CThread_set_places(void *new_places);

/* The run that the current thread works for: NULL until it is set. */
void *CThread_run(void);
void CThread_set_run(void *new_run);

#endif

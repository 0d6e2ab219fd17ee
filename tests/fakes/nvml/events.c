/* Xids: `xid SERIAL CODE` of a card is told once to each set that was created before it came.
 * `recovery NUMBER` is what the driver advises to do about them. */
#define _GNU_SOURCE
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { XID = 0x8, REGISTERED_MAX = 64, RECOVERY_ACTION = 230, UNSIGNED = 1 };

typedef unsigned long long u64;

struct event_set {
    int count;
    const struct device *devices[REGISTERED_MAX];
    u64 told[REGISTERED_MAX];
};

struct event {
    const struct device *device;
    u64 kind, data;
    unsigned instance, compute;
};

struct field {
    unsigned id, scope;
    long long at, latency;
    unsigned kind, code;
    u64 value;
};

int nvmlDeviceGetFieldValues(const struct device *device, int count, struct field *fields) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    for (struct field *field = fields; field < fields + count; field++) {
        int is_known = field->id == RECOVERY_ACTION && has(card, "recovery");
        field->code = is_known ? OK : NOT_SUPPORTED;
        field->kind = UNSIGNED;
        field->value = is_known ? number(card, "recovery", 0) : 0;
    }
    return end(OK);
}

static u64 newest(int card) {
    u64 highest = 0, serial;
    const char *text;
    for (int nth = 0; (text = line(card, "xid", nth)) != NULL; nth++)
        if ((serial = strtoull(text, NULL, 0)) > highest) highest = serial;
    return highest;
}

int nvmlEventSetCreate(struct event_set **events) {
    int card, code = begin(__func__, NULL, &card);
    if (code) return code;
    *events = calloc(1, sizeof **events);
    return end(OK);
}

int nvmlEventSetFree(struct event_set *events) {
    free(events);
    return OK;
}

int nvmlDeviceGetSupportedEventTypes(const struct device *device, u64 *kinds) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    *kinds = XID;
    return end(OK);
}

int nvmlDeviceRegisterEvents(const struct device *device, u64 kinds, struct event_set *events) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!(kinds & XID) || events->count == REGISTERED_MAX) return end(NOT_SUPPORTED);
    events->devices[events->count] = device;
    events->told[events->count++] = newest(card);
    return end(OK);
}

static int next_event(struct event_set *events, struct event *event) {
    for (int i = 0; i < events->count; i++) {
        int card = card_of(events->devices[i]->uuid);
        const char *text;
        for (int nth = 0; card != MACHINE && (text = line(card, "xid", nth)) != NULL; nth++) {
            u64 serial, code;
            if (sscanf(text, "%llu %llu", &serial, &code) != 2) continue;
            if (serial <= events->told[i]) continue;
            events->told[i] = serial;
            memset(event, 0, sizeof *event);
            event->device = events->devices[i];
            event->kind = XID;
            event->data = code;
            event->instance = event->compute = 0xffffffff;
            return 1;
        }
    }
    return 0;
}

static u64 milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

int nvmlEventSetWait_v2(struct event_set *events, struct event *event, unsigned timeout_ms) {
    int card, code = begin(__func__, NULL, &card);
    if (code) return code;
    u64 until = milliseconds() + timeout_ms;
    while (!next_event(events, event)) {
        if (milliseconds() >= until) return end(TIMED_OUT);
        pause_a_little();
    }
    return end(OK);
}

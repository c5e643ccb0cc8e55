/* drop.c: a small tool of the window's test: drops a file on the window at a place of the screen, as a file manager
 * does, by the XDND protocol (version 5).
 *
 *   drop FILE X Y
 */
#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static Display *display;
static Window own, target;

static Atom atom(const char *name) {
    return XInternAtom(display, name, False);
}

static void die(const char *what) {
    fprintf(stderr, "drop: %s\n", what);
    exit(2);
}

static void send_message(const char *type, long a, long b, long c, long d) {
    XEvent event = {.xclient = {.type = ClientMessage, .window = target, .format = 32, .message_type = atom(type)}};
    event.xclient.data.l[0] = (long)own;
    event.xclient.data.l[1] = a, event.xclient.data.l[2] = b, event.xclient.data.l[3] = c, event.xclient.data.l[4] = d;
    XSendEvent(display, target, False, NoEventMask, &event);
    XFlush(display);
}

/* The window at the place that announces itself as one for drops: the deepest such. */
static Window find_target(int x, int y) {
    Window root = DefaultRootWindow(display), at = root, child, found = None;
    int inner_x, inner_y;
    while (XTranslateCoordinates(display, root, at, x, y, &inner_x, &inner_y, &child) && child) {
        Atom type;
        int format;
        unsigned long count = 0, rest;
        unsigned char *data = NULL;
        at = child;
        XGetWindowProperty(display, at, atom("XdndAware"), 0, 1, False, AnyPropertyType, &type, &format, &count, &rest,
                           &data);
        if (data) XFree(data);
        if (count) found = at;
    }
    return found;
}

static void send_file_name(const XSelectionRequestEvent *request, const char *uri) {
    XEvent event = {.xselection = {.type = SelectionNotify,
                                   .requestor = request->requestor,
                                   .selection = request->selection,
                                   .target = request->target,
                                   .property = request->property,
                                   .time = request->time}};
    XChangeProperty(display, request->requestor, request->property, request->target, 8, PropModeReplace,
                    (const unsigned char *)uri, (int)strlen(uri));
    XSendEvent(display, request->requestor, False, NoEventMask, &event);
    XFlush(display);
}

int main(int argc, char **argv) {
    char uri[4096];
    if (argc != 4) die("usage: drop FILE X Y");
    if (!(display = XOpenDisplay(NULL))) die("no display");
    int x = atoi(argv[2]), y = atoi(argv[3]);
    snprintf(uri, sizeof uri, "file://%s\r\n", argv[1]);
    own = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display, atom("XdndSelection"), own, CurrentTime);
    if (!(target = find_target(x, y))) die("no window there takes files");
    send_message("XdndEnter", 5L << 24, (long)atom("text/uri-list"), 0, 0);
    send_message("XdndPosition", 0, (long)x << 16 | y, CurrentTime, (long)atom("XdndActionCopy"));
    for (time_t end = time(NULL) + 10; time(NULL) < end;) {
        XEvent event;
        if (!XPending(display)) {
            usleep(10000);
            continue;
        }
        XNextEvent(display, &event);
        if (event.type == SelectionRequest) send_file_name(&event.xselectionrequest, uri);
        if (event.type != ClientMessage) continue;
        if (event.xclient.message_type == atom("XdndStatus")) {
            if (!(event.xclient.data.l[1] & 1)) die("the window refuses the file");
            send_message("XdndDrop", 0, CurrentTime, 0, 0);
        }
        if (event.xclient.message_type == atom("XdndFinished")) return 0;
    }
    die("no reply from the window");
}

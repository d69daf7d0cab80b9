import type { Door } from "./door.ts";
import { HANDLER_DOORS } from "./handler-doors.ts";
import { OUTSIDE_DOORS } from "./outside-doors.ts";
import { SERVED_DOORS } from "./served-doors.ts";

/** Every way by which JSON of a stranger comes in: from clients, from callers of tools, and from servers. */
export const DOORS: readonly Door[] = [...HANDLER_DOORS, ...SERVED_DOORS, ...OUTSIDE_DOORS];

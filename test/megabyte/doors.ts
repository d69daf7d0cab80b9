import { DATABASE_DOORS } from "./database-doors.ts";
import type { Door } from "./door.ts";
import { HANDLER_DOORS } from "./handler-doors.ts";
import { OUTSIDE_DOORS } from "./outside-doors.ts";
import { SERVED_DOORS } from "./served-doors.ts";

/** Every way by which JSON of a stranger comes in: from clients, from callers of tools, from servers, and into a database. */
export const DOORS: readonly Door[] = [
  ...HANDLER_DOORS,
  ...SERVED_DOORS,
  ...OUTSIDE_DOORS,
  ...DATABASE_DOORS,
];

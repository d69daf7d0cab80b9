import type { EventStore, FileStore, Session, SessionStatus } from "@pawl/core";
import { isTimeZone } from "../base/day.ts";
import type { Calendar, CalendarEvent } from "../calendar/calendar-event.ts";
import { userFiles } from "../files/user-files.ts";
import { type DayPlan, type DayPlans, memoryDayPlans } from "../plans/day-plans.ts";
import { DEFAULT_TYPE } from "../sessions/session-types.ts";

/** An earlier session. */
export interface PastSession {
  type: string;
  /** ISO 8601. */
  at: string;
}

/** The data of one user in one session. */
export interface CoachData {
  /** The files of this user alone. */
  files: FileStore;
  plans: { save(plan: DayPlan): Promise<void>; get(day: string): Promise<DayPlan | undefined> };
  /** The user's name, if it is known. */
  name?: string;
  /** The user's time zone, e.g. `Europe/Berlin`. */
  timeZone: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns the user's previous session, if any. */
  lastSession(): Promise<PastSession | undefined>;
  /** Returns the current status of this session. */
  status(): Promise<SessionStatus | undefined>;
  calendar(day: string, signal: AbortSignal): Promise<readonly CalendarEvent[]>;
}

/** The data and services that the application provides for the coach's tools, hooks and context. */
export interface CoachDeps {
  coach: CoachData;
}

export interface CoachDepsOptions {
  /** The files of all users: a directory (`diskFiles`) or a bucket (`supabaseFiles`). */
  files: FileStore;
  /** The store of the sessions. */
  store?: Pick<EventStore, "sessions">;
  /** Stores day plans. Default: in memory. */
  plans?: DayPlans;
  /** The time zone of users whose client sent none. Default: this machine's time zone. */
  timeZone?: string;
  now?: () => number;
  /** Returns a user's name. Default: the name that their client sent with the session's first message. */
  name?(userId: string): string | undefined;
  /** Returns the entries of a user's calendar, e.g. `icsCalendar()`. Default: an empty calendar. */
  calendar?: Calendar;
}

/**
 * Creates the coach's part of a runtime's `deps`, as a function of the session.
 *
 * @example
 * ```ts
 * import { memoryFiles, memoryStore, runtime } from "@pawl/core";
 * import { coach, coachDeps } from "@pawl/example-coach";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const store = memoryStore();
 * const model = scriptedModel([{ text: "Good morning. What is on for today?" }]);
 * const pawl = runtime({
 *   agents: [coach({ model })],
 *   store,
 *   deps: coachDeps({ files: memoryFiles(), store }),
 * });
 * const { text } = await pawl.run("coach", { userId: "ada", input: "Good morning" }).result;
 * console.log(text);
 * ```
 */
export function coachDeps(options: CoachDepsOptions): (session: Session) => CoachDeps {
  const { files, store, plans = memoryDayPlans(), now = Date.now, calendar } = options;
  const { timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  return ({ id, userId, agent, metadata }) => {
    const name = options.name?.(userId) ?? sentName(metadata);
    const zone = isTimeZone(metadata.time_zone) ? metadata.time_zone : timeZone;
    return {
      coach: {
        files: userFiles(files, userId),
        plans: { save: (plan) => plans.save(userId, plan), get: (day) => plans.get(userId, day) },
        ...(name !== undefined && { name }),
        timeZone: zone,
        now,
        lastSession: async () => {
          const sessions = (await store?.sessions.list({ userId, agent, limit: 5 })) ?? [];
          const last = sessions.find((session) => session.id !== id && session.lastSeq > 0);
          return last && { type: typeOf(last), at: last.updatedAt };
        },
        status: async () => (await store?.sessions.get(id))?.status,
        calendar: async (day, signal) => (await calendar?.({ userId, day, timeZone: zone, signal })) ?? [],
      },
    };
  };
}

function sentName({ display_name: name }: Session["metadata"]): string | undefined {
  return typeof name === "string" && name.trim() !== "" ? name.trim() : undefined;
}

function typeOf({ metadata }: Session): string {
  return typeof metadata.type === "string" ? metadata.type : DEFAULT_TYPE;
}

/** An entry of a calendar. */
export interface CalendarEvent {
  /** The time as the user reads it, e.g. `09:30`; absent for an entry of a whole day. */
  at?: string;
  title: string;
}

/** The input of a {@link Calendar}: a day, and the user's time zone. */
export interface DayOfUser {
  userId: string;
  /** `YYYY-MM-DD`. */
  day: string;
  /** The user's time zone, e.g. `Europe/Berlin`. */
  timeZone: string;
  signal: AbortSignal;
}

/** Returns a user's entries of one day, in the order of their times. */
export type Calendar = (day: DayOfUser) => Promise<readonly CalendarEvent[]>;

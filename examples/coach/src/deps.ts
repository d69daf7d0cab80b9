/** What the coach's tools need from the application. */
export interface CoachDeps {
  /** The folder in which every user gets a folder of their own. */
  dir: string;
  /** The user's date as `YYYY-MM-DD`; the server's own date when absent. */
  today?(): string;
}

/** The date at this machine, as `YYYY-MM-DD`. */
export function localDate(now: Date = new Date()): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

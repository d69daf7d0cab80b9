/** The names of the file types, for people. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ["domain", "Area of life"],
  ["overview", "Life map"],
  ["life-plan", "Life plan"],
  ["check-in", "Weekly check-in"],
  ["daily-log", "Journal"],
  ["day-plan", "Plan for the day"],
  ["weekly-plan", "Plan for the week"],
  ["sage-context", "What Sage remembers"],
  ["sage-patterns", "Patterns"],
  ["capture", "Captured thought"],
  ["reflection-prompt", "Question to sit with"],
  ["pulse-check", "Pulse check"],
  ["session-summary", "Summary"],
]);

export function titleOfType(type: string): string {
  return TITLES.get(type) ?? (type === "" ? "Note" : type.replaceAll("-", " "));
}

/**
 * Returns the title of a file, and in `which` a second line: the type of a domain, otherwise the day, if any.
 */
export function titleOf({ type, path }: { type: string; path: string }): { title: string; which: string } {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
  if (type === "domain") {
    const plain = name.replaceAll("-", " ");
    return { title: plain.charAt(0).toUpperCase() + plain.slice(1), which: titleOfType(type) };
  }
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(name) ?? [];
  return { title: titleOfType(type), which: day === undefined ? "" : dayWords(day) };
}

function dayWords(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return date.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" });
}

/**
 * Formats the time of a change, e.g. `5 min ago`, `14:30` or `12 Nov`. `now` is in milliseconds since 1970.
 */
export function whenOf(iso: string, now: number): string {
  const date = new Date(iso);
  const seconds = (now - date.getTime()) / 1_000;
  if (seconds < 60) return "just now";
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return date.toDateString() === new Date(now).toDateString()
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short" });
}

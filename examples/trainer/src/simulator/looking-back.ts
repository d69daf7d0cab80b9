/** How many workouts the answer lists. */
const TOLD = 3;

/**
 * Describes the recent training as Markdown: the totals in a sentence, and the newest workouts line by line.
 */
export function lookBack(text: string): string {
  const days = [...text.matchAll(/^\d{4}-\d\d-\d\d: .*(?:\n {2}- .*)*/gm)].map(([day]) => day);
  if (days.length === 0) return "You have not logged a workout yet.";
  const [sum] = /^Last \d+ days: [^.]*\./m.exec(text) ?? [];
  return [
    sum,
    `The last ${days.length === 1 ? "workout" : "workouts"}:`,
    ...days.slice(0, TOLD).map(markdownOf),
  ]
    .filter((part) => part !== undefined)
    .join("\n\n");
}

function markdownOf(day: string): string {
  const [head, ...lines] = day.split("\n");
  return [`**${head}**`, "", ...lines.map((line) => line.trim())].join("\n");
}

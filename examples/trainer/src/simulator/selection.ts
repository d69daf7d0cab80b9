/** The data that the initializer chooses. */
export interface Selection {
  reasoning: string;
  append_knowledge: { source: string; reason: string; days_back: number | null }[];
  use_existing: string[];
}

const NEEDS: readonly (readonly [RegExp, readonly string[], number | null])[] = [
  [
    /\b(progress|history|statistics|how am i doing|last (?:week|month))\b/i,
    ["workout_history", "category_goals"],
    30,
  ],
  [
    /\b(workout|train|session|chest|back|legs?|arms?|shoulders?|core|(?:full|whole)[ -]body|swap)\b/i,
    ["category_goals", "muscle_goals", "active_preferences", "workout_history"],
    14,
  ],
  [/\bgoals?\b/i, ["category_goals", "muscle_goals"], null],
  [/\b(place|location|gym|home)\b/i, ["all_locations"], null],
];

/** Chooses data by the words of the user's message. */
export function selection(said: string): Selection {
  const need = NEEDS.find(([words]) => words.test(said));
  const [, sources, days] = need ?? [/./, [], null];
  return {
    reasoning:
      sources.length === 0
        ? "Nothing about the user is needed for this."
        : "What this kind of request is planned with.",
    append_knowledge: sources.map((source) => ({
      source,
      reason: "not_in_context",
      days_back: source === "workout_history" ? days : null,
    })),
    use_existing: [],
  };
}

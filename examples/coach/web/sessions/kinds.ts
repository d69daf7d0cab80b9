import { rulesOf, type SessionType, sessionTypes } from "../../src/sessions/session-types.ts";

/** A way to begin a conversation. */
export interface Kind {
  type: SessionType;
  label: string;
  /** What it is, in a sentence. */
  about: string;
  /** What one may begin with. */
  starters: readonly string[];
}

export const KINDS: readonly [Kind, ...Kind[]] = [
  {
    type: "open_conversation",
    label: "Open conversation",
    about: "Whatever is there. No agenda.",
    starters: [
      "Good morning",
      "Help me plan today: write, call Mum, go for a run",
      "I can't stop thinking about work",
    ],
  },
  {
    type: "open_day",
    label: "Morning",
    about: "A plan for the day, and a look at where you stand.",
    starters: ["Good morning"],
  },
  {
    type: "close_day",
    label: "Evening",
    about: "The day goes into your journal, with what you noted on the way.",
    starters: ["Good evening"],
  },
  {
    type: "life_mapping",
    label: "Life map",
    about: "Eight areas of your life, and what you wish for in them.",
    starters: ["Let's draw the map"],
  },
  {
    type: "weekly_checkin",
    label: "Weekly check-in",
    about: "The week behind you, and aims for the next.",
    starters: ["Let's look at the week"],
  },
];

/** A type of session, or an arc, as people call it. */
export function labelOf(type: string): string {
  const known = KINDS.find((kind) => kind.type === type);
  if (known !== undefined) return known.label;
  return Object.hasOwn(sessionTypes, type) ? rulesOf(type).title : type.replaceAll("_", " ");
}

import { rulesOf, type SessionType, sessionTypes } from "../../src/sessions/session-types.ts";

/** A kind of conversation that the user can begin. */
export interface Kind {
  type: SessionType;
  label: string;
  /** A description in one sentence. */
  about: string;
  /** Suggestions for the first message. */
  starters: readonly string[];
}

export const KINDS: readonly [Kind, ...Kind[]] = [
  {
    type: "open_conversation",
    label: "Open conversation",
    about: "Whatever is on your mind. No agenda.",
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

/** Returns the name that users see for a session type or an arc. */
export function labelOf(type: string): string {
  const known = KINDS.find((kind) => kind.type === type);
  if (known !== undefined) return known.label;
  return Object.hasOwn(sessionTypes, type) ? rulesOf(type).title : type.replaceAll("_", " ");
}

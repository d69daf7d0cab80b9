import type { Json, JsonObject } from "@pawl/core";
import { excerpt } from "./lines.ts";
import { quote } from "./plan.ts";

/** Creates the input of `save_file` for a journal entry, in the user's words. */
export function evening(said: string): JsonObject[] {
  return [
    {
      file_type: "daily-log",
      content: `# The day\n\n${quote(said)}\n`,
      attributes: {
        energy: /\b(tired|exhausted|drained|worn)\b/i.test(said) ? "low" : "steady",
        mood_signal: /\b(good|glad|happy|proud|calm|nice)\b/i.test(said) ? "light" : "mixed",
        domains_touched: domainsIn(said),
        preview_line: excerpt(said, 80),
      },
    },
  ];
}

/** Creates the inputs of `save_file` for a check-in with its themes, and for a plan for the week. */
export function checkIn(said: string, pulse: Json): JsonObject[] {
  return [
    {
      file_type: "check-in",
      content: `# The week\n\n${quote(said)}\n\n## Pulse\n\n${ratingLines(pulse)}\n`,
      attributes: { domains_touched: domainsIn(said), preview_line: excerpt(said, 80) },
    },
    {
      file_type: "weekly-plan",
      content: `# The week to come\n\n1. Keep what went well.\n2. One small step on what was hard.\n\n${quote(excerpt(said))}\n`,
    },
  ];
}

/** Creates the inputs of `save_file` for the three files of a life map. */
export function lifeMap(said: string, pulse: Json): JsonObject[] {
  const touched = domainsIn(said);
  return [
    {
      file_type: "overview",
      content: `# Life map\n\n${ratingLines(pulse)}\n\n## In your words\n\n${quote(said)}\n`,
      attributes: { domains_touched: touched, preview_line: excerpt(said, 80) },
    },
    {
      file_type: "life-plan",
      content: `# Plan for the quarter\n\n${touched.map((one) => `- ${one}: a first step`).join("\n") || "- A first step"}\n`,
    },
    {
      file_type: "sage-context",
      content: `# What to know next time\n\n- What matters most now: ${excerpt(said, 200)}\n`,
    },
  ];
}

const WORDS: readonly [domain: string, pattern: RegExp][] = [
  ["work", /\b(work|job|report|meeting|boss|project|office)\b/i],
  ["money", /\b(money|rent|debt|salary|savings?)\b/i],
  ["health", /\b(health|sleep|slept|run|sick|body|tired|doctor)\b/i],
  ["family", /\b(family|mum|mother|dad|father|sister|brother|kids?|children)\b/i],
  ["love", /\b(love|partner|wife|husband|marriage|date)\b/i],
  ["friends", /\b(friends?|lonely|party)\b/i],
  ["growth", /\b(learn|learning|study|course|read|book)\b/i],
  ["play", /\b(play|music|paint|hobby|holiday|walk|garden)\b/i],
];

function domainsIn(said: string): string[] {
  return WORDS.flatMap(([domain, pattern]) => (pattern.test(said) ? [domain] : []));
}

function ratingLines(pulse: Json): string {
  const ratings =
    typeof pulse === "object" && pulse !== null && !Array.isArray(pulse) ? pulse.ratings : undefined;
  const entries = typeof ratings === "object" && ratings !== null ? Object.entries(ratings) : [];
  return entries.length === 0
    ? "No ratings."
    : entries.map(([domain, rating]) => `- ${domain}: ${rating}`).join("\n");
}

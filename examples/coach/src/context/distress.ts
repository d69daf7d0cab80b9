/**
 * Phrases of people who are overwhelmed. One match is enough: a calmer answer does no harm if there was no
 * distress.
 */
const WORDS = [
  "overwhelmed",
  "overwhelming",
  "panicking",
  "panic attack",
  "hopeless",
  "falling apart",
  "breaking down",
  "can't cope",
  "cannot cope",
  "can't breathe",
  "can't go on",
  "cannot go on",
  "can't take it anymore",
  "give up on everything",
  "hate myself",
  "hurt myself",
  "kill myself",
  "want to die",
  "no way out",
  "crying all",
  "can't stop crying",
];

const PATTERN = new RegExp(`\\b(?:${WORDS.join("|").replaceAll(" ", "\\s+")})\\b`, "i");

/** Checks whether a message contains a phrase of distress, so that the coach comforts first. */
export function isDistressed(message: string): boolean {
  return PATTERN.test(message.replaceAll("’", "'"));
}

/**
 * The most that an image counts for, in characters at four a token: 4,784 tokens, at 2,576 pixels, the size that today's
 * models scale larger ones down to (Claude's documentation on vision: one token for every 28 x 28 pixels).
 */
const IMAGE_CHARS = 4 * 4_784;

/** How many characters blocks count for when their tokens are estimated; `json` is their text. An image's bytes are no words. */
export function estimatedChars(blocks: unknown, json: string): number {
  return json.includes('"base64"') ? json.length - surplus(blocks) : json.length;
}

function surplus(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + surplus(one), 0);
  if (typeof value !== "object" || value === null) return 0;
  const { type, source, content } = value as { type?: unknown; source?: unknown; content?: unknown };
  if (type !== "image") return surplus(content);
  const data = (source as { data?: unknown } | undefined)?.data;
  return typeof data === "string" ? Math.max(0, data.length - IMAGE_CHARS) : 0;
}

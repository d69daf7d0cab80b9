import type { Json } from "@pawl/core";

/** Markdown with its attributes above it. JSON values are YAML values too, which settles all quoting. */
export function withFrontMatter(
  attributes: { readonly [key: string]: Json | undefined },
  body: string,
): string {
  const lines = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", "", `${body.trimEnd()}\n`].join("\n");
}

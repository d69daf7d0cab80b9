import type { Attack } from "../frame/attack.ts";
import { shownOnPage } from "../parts/shown-on-page.ts";

const deep = (piece: string) => ({ text: `${piece.repeat(3_000)}x` });

export const attack: Attack = {
  id: "page-crash-markdown",
  title: "Markdown of thousands of levels breaks the playground's page",
  state: "held",
  guard: {
    file: "examples/playground/test/web/broken-parts.test.ts",
    title: "shows Markdown of thousands of levels as plain source, and continues",
  },
  limits: { ms: 180_000 },
  attempt: () =>
    shownOnPage({
      quotes: deep("> "),
      lists: deep("- "),
      stars: { text: `${"*".repeat(3_000)}x${"*".repeat(3_000)}` },
      brackets: deep("["),
      emphases: deep("*_"),
    }),
};

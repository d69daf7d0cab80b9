import type { Version } from "../../../packages/sse/test/support/agents.ts";
import { brokenByAny } from "../frame/attack.ts";

/** Tries it with the chat of each version of the AI SDK. */
export const withAiSdk = (attempt: (version: 6 | 7) => Promise<string>): Promise<string> =>
  brokenByAny({ "AI SDK 6": () => attempt(6), "AI SDK 7": () => attempt(7) });

/** Tries it with the agent of each version of AG-UI. */
export const withAgUi = (attempt: (version: Version) => Promise<string>): Promise<string> =>
  brokenByAny({ "AG-UI 0.0.59": () => attempt("0.0.59"), "AG-UI 1.0": () => attempt("1.0") });

import { createContext, useContext } from "react";
import type { MatchLine } from "../../src/base/shapes.ts";
import { playlistName, timeOf } from "./words.ts";

/** The match that the user looks at: the coach reads its id with each message. */
export interface OpenReplay {
  match: MatchLine | undefined;
  /** Opens another match, or none. */
  open(match: MatchLine | undefined): void;
}

export const OpenReplayContext = createContext<OpenReplay | undefined>(undefined);

/** Returns the open match; `undefined` if the page cannot open one. */
export function useOpenReplay(): OpenReplay | undefined {
  return useContext(OpenReplayContext);
}

/** Names a match, e.g. `Doubles, lost 1-3, 20 Nov, 18:26`. */
export function nameOf({ playlist, won, result, played_at }: MatchLine): string {
  return `${playlistName(playlist)}, ${won ? "won" : "lost"} ${result}, ${timeOf(played_at)}`;
}

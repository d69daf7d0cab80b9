import type { ViewPart } from "@pawl/core/view";
import { createContext } from "react";
import type { Picked } from "./use-tray.ts";

/** A file as a part of a message. */
export type FilePart = Extract<ViewPart, { type: "file" }>;

/** The files of the message that is being sent. */
export interface SendingFiles {
  files: readonly Picked[];
  /** The number of files that have been uploaded. */
  uploaded: number;
  /** Called when the server's own picture is shown in place of the file. */
  release(picked: Picked): void;
}

/** Provides the files of the message that is being sent. `undefined` if it has none. */
export const SendingContext = createContext<SendingFiles | undefined>(undefined);

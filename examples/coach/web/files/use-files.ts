import type { ViewMessage } from "@pawl/core/view";
import { useCallback, useEffect, useState } from "react";
import { callsDone, fieldsOf, textIn } from "../base/seam.ts";

/** A file as the server lists it. */
export interface CoachFile {
  path: string;
  type: string;
  bytes: number;
  /** ISO 8601. */
  updated_at: string;
}

export interface Reading<T> {
  /** The latest data. It stays while newer data is loading. */
  data: T | undefined;
  failed: boolean;
  reload(): void;
}

/** Tools that write a file. */
const WRITERS: ReadonlySet<string> = new Set(["save_file", "show_pulse_check", "complete_session"]);

/**
 * Returns how many files were written in this conversation, and which one last. Both come from the log, so
 * they survive a reload.
 */
export function writtenIn(messages: readonly ViewMessage[]): { count: number; last: string | undefined } {
  const calls = callsDone(messages).filter(({ toolName }) => WRITERS.has(toolName));
  const saved = calls.flatMap(({ toolName, result }) =>
    toolName === "save_file" ? (textIn(fieldsOf(result).path) ?? []) : [],
  );
  // The coach's own notes can be read, but the user does not wait for them.
  const last = saved.findLast((path) => !path.startsWith("sage/")) ?? saved.at(-1);
  return { count: calls.length, last };
}

/** Loads the user's files. Loads them again when `written` changes and when the window gets the focus. */
export function useFiles(written: number): Reading<readonly CoachFile[]> {
  return useRead("/api/coach-files", written, filesIn);
}

/** Loads the Markdown of one file. Loads it again when the file has changed. */
export function useFile(path: string, updatedAt: string): Reading<string> {
  const address = path.split("/").map(encodeURIComponent).join("/");
  return useRead(`/api/coach-files/${address}`, updatedAt, wholeText);
}

const wholeText = async (response: Response): Promise<string> => await response.text();

async function filesIn(response: Response): Promise<readonly CoachFile[]> {
  const { files } = (await response.json()) as { files: CoachFile[] };
  if (!Array.isArray(files)) throw new Error("The answer is not a list.");
  return files;
}

/** Loads a value. `read` must be a stable function. */
function useRead<T>(
  url: string,
  version: string | number,
  read: (response: Response) => Promise<T>,
): Reading<T> {
  const [data, setData] = useState<T>();
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  // `version` and `round` trigger the request; they are not part of it.
  useEffect(() => {
    const control = new AbortController();
    fetch(url, { signal: control.signal })
      .then(async (response) => {
        if (!response.ok) throw new Error(`The server answered ${response.status}.`);
        const value = await read(response);
        if (control.signal.aborted) return;
        setData(value);
        setFailed(false);
      })
      .catch(() => {
        if (!control.signal.aborted) setFailed(true);
      });
    return () => control.abort();
  }, [url, version, round, read]);
  useEffect(() => {
    addEventListener("focus", reload);
    return () => removeEventListener("focus", reload);
  }, [reload]);
  return { data, failed, reload };
}

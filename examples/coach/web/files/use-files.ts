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
  /** What was read last; it stays while it is read again. */
  data: T | undefined;
  failed: boolean;
  reload(): void;
}

/** Tools that leave a file behind. */
const WRITERS: ReadonlySet<string> = new Set(["save_file", "show_pulse_check", "complete_session"]);

/**
 * What was written in this conversation: how often, and what last. Both come out of the log, so a reload
 * knows them too.
 */
export function writtenIn(messages: readonly ViewMessage[]): { count: number; last: string | undefined } {
  const calls = callsDone(messages).filter(({ toolName }) => WRITERS.has(toolName));
  const saved = calls.flatMap(({ toolName, result }) =>
    toolName === "save_file" ? (textIn(fieldsOf(result).path) ?? []) : [],
  );
  // What the coach keeps for itself is there to be read, but is not what somebody waits for.
  const last = saved.findLast((path) => !path.startsWith("sage/")) ?? saved.at(-1);
  return { count: calls.length, last };
}

/** The user's files, read again whenever `written` changes and when somebody comes back to the window. */
export function useFiles(written: number): Reading<readonly CoachFile[]> {
  return useRead("/api/coach-files", written, filesIn);
}

/** The Markdown of one file, read again whenever it was written anew. */
export function useFile(path: string, updatedAt: string): Reading<string> {
  const address = path.split("/").map(encodeURIComponent).join("/");
  return useRead(`/api/coach-files/${address}`, updatedAt, wholeText);
}

const wholeText = async (response: Response): Promise<string> => await response.text();

async function filesIn(response: Response): Promise<readonly CoachFile[]> {
  const { files } = (await response.json()) as { files: CoachFile[] };
  if (!Array.isArray(files)) throw new Error("This is no list.");
  return files;
}

/** `read` has to stay the same function. */
function useRead<T>(
  url: string,
  version: string | number,
  read: (response: Response) => Promise<T>,
): Reading<T> {
  const [data, setData] = useState<T>();
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  // Version and round say when to read, not what.
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

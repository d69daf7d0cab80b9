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
  /** The latest data. Kept while newer data is loading. */
  data: T | undefined;
  failed: boolean;
  reload(): void;
}

/** Tools that write a file. */
const WRITERS: ReadonlySet<string> = new Set(["save_file", "show_pulse_check", "complete_session"]);

/**
 * Returns the number of files that were written in this conversation, and the path of the last one. Derived
 * from the log, so a reload changes neither.
 */
export function writtenIn(messages: readonly ViewMessage[]): { count: number; last: string | undefined } {
  const calls = callsDone(messages).filter(({ toolName }) => WRITERS.has(toolName));
  const saved = calls.flatMap(({ toolName, result }) =>
    toolName === "save_file" ? (textIn(fieldsOf(result).path) ?? []) : [],
  );
  // Files below `sage/` are the coach's own notes. They are opened only if no other file was saved.
  const last = saved.findLast((path) => !path.startsWith("sage/")) ?? saved.at(-1);
  return { count: calls.length, last };
}

/**
 * Loads the list of the user's files. Reloads it when `written` changes and when the window gets the focus.
 */
export function useFiles(written: number): Reading<readonly CoachFile[]> {
  return useRead("/api/coach-files", written, filesIn);
}

/** Loads the Markdown of one file. Reloads it when `updatedAt` changes. */
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
  // A change of `version` or `round` triggers the request, which contains neither.
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

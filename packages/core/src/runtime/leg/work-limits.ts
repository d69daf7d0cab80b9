/**
 * Limits the work that requests cause in this process at the same time. A request above a limit waits for
 * `waitMs`, and is then refused with `overloaded` (503 over HTTP, with `retry-after`). One user gets at most
 * half of each count and size. Runs wait only for files, before requests and without a time limit.
 *
 * `files` and `sessions` are whole numbers from 1, the others numbers from 1. `Infinity` lifts a limit.
 */
export interface WorkLimits {
  /** Files that are inspected, read or stored at the same time. Default: 16. */
  files?: number;
  /**
   * Bytes of files that the process holds at the same time, also those that clients send or read at the
   * moment. An upload takes room for all that the client has announced only while at least 100 kB arrive in
   * each second, and otherwise for what has arrived. Default: 64,000,000.
   */
  fileBytes?: number;
  /** Sessions that are read for clients at the same time, whole or a page of them. Default: 8. */
  sessions?: number;
  /**
   * Bytes of sessions, as JSON, that the process holds at the same time, also those that clients read at the
   * moment. A session counts as many as it had when it was last read. Default: 64,000,000.
   */
  sessionBytes?: number;
  /** How long a request waits before it is refused, in milliseconds. Default: 10,000. */
  waitMs?: number;
}

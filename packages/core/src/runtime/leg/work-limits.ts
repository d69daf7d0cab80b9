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
   * Bytes of files that the process holds at the same time, including those that clients are sending or
   * reading. An upload counts with its announced size while at least 100 kB arrive in each second. A slower
   * one counts with the bytes that have arrived. Default: 64,000,000.
   */
  fileBytes?: number;
  /** Sessions that are read for clients at the same time, whole or a page of them. Default: 8. */
  sessions?: number;
  /**
   * Bytes of sessions, as JSON, that the process holds at the same time, including those that clients are
   * reading. A session counts with the size that it had when it was last read. Default: 64,000,000.
   */
  sessionBytes?: number;
  /** How long a request waits before it is refused, in milliseconds. Default: 10,000. */
  waitMs?: number;
}

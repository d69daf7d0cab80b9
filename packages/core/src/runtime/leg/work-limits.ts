/**
 * How much of a work this process does at the same time. What exceeds it waits for its turn, and is then
 * refused with `overloaded`: over HTTP 503, with the header `retry-after`. One user has at most half of each
 * number, so that nobody keeps the others waiting. Runs that have begun come first, and wait as long as it
 * takes.
 */
export interface WorkLimits {
  /** Files that are inspected, read or stored at the same time. Default: 16. */
  files?: number;
  /**
   * Bytes of files that the process holds at the same time, also those that clients send or read at the
   * moment. Default: 64,000,000.
   */
  fileBytes?: number;
  /** Sessions that are read for clients at the same time, whole or a page of them. Default: 8. */
  sessions?: number;
  /**
   * Bytes of sessions, as JSON, that the process holds at the same time, also those that clients read at the
   * moment. A session counts as many as it had when it was last read. Default: 64,000,000.
   */
  sessionBytes?: number;
  /** How long a request waits for its turn, in milliseconds. Default: 10,000. */
  waitMs?: number;
}

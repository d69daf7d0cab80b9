import type { Kind } from "./kinds.ts";
import type { Page } from "./page.ts";

/** How pages of a kind load, and are compared with the log. */
export interface Looks {
  kind: Kind;
  load(at: number): Promise<Page>;
  shows(page: Page, at: number, what: string): Promise<void>;
}

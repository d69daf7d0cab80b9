/** Where data from outside comes in, with the code behind it. */
export interface Door {
  name: string;
  /** A small value that is taken, as JSON. So no door is closed for another reason than the value. */
  harmless: string;
  /** Prepares the code behind the door, once for many values. */
  open(): Promise<Opened> | Opened;
}

export interface Opened {
  /** Sends a value, as JSON, and waits for what becomes of it. */
  knock(json: string): Promise<Outcome>;
  /** The errors that the app was told of as its own so far. */
  errors: readonly unknown[];
  close?(): Promise<void>;
}

/** What became of a value. */
export interface Outcome {
  /** Whether it was taken. */
  taken: boolean;
  /** The refusal as its sender, or the model, reads it. Empty if the value was taken. */
  refusal: string;
  /** How long a statement of a database has taken, in milliseconds. Absent if this process has done the work. */
  statementMs?: number;
}

export const TAKEN: Outcome = { taken: true, refusal: "" };

export const refused = (refusal: string): Outcome => ({ taken: false, refusal });

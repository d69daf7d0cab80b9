/** A fault that is planted into the sources, and the kind of client that shows it. */
export interface Fault {
  readonly name: string;
  readonly kind: string;
  /** Texts that a file has once, and what they become. Files are relative to `packages`. */
  readonly edits: readonly (readonly [file: string, is: string, becomes: string])[];
}

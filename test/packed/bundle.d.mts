/** A part of a bundle. */
export interface Part {
  /** Bytes of the minified code. */
  minified: number;
  /** Bytes of the minified code, each chunk compressed with gzip. */
  compressed: number;
  /** Absolute paths of the modules in it. */
  modules: string[];
}

export const BUNDLES: { readonly [label: string]: string };

export function bundle(code: string): Promise<{ start: Part; later: Part }>;

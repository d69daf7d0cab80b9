export interface Finding {
  file: string;
  line: number;
  message: string;
}
export function findWrongArrows(files: ReadonlyMap<string, string>): Finding[];

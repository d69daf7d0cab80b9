/** The types that the file chooser offers. Phones convert their pictures to one of these. */
export const ACCEPTED =
  "image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.csv,.json,.yaml,.yml,.log";

const UNITS = ["byte", "kilobyte", "megabyte"] as const;

/** Formats a size, e.g. `1.4 MB`. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  return new Intl.NumberFormat("en", {
    style: "unit",
    unit: UNITS[power] ?? "byte",
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: power === 2 ? 1 : 0,
  }).format(bytes / 1_000 ** power);
}

/** Names the kind of a file in at most four letters, for its badge. */
export function kindOf(mediaType: string, name = ""): string {
  if (mediaType === "application/pdf") return "PDF";
  const ending = /\.([a-z0-9]{1,4})$/i.exec(name)?.[1];
  return (ending ?? (mediaType.startsWith("image/") ? "IMG" : "TXT")).toUpperCase();
}

/** Names a file that has no name. */
export function nameOf({ name, mediaType }: { name?: string | undefined; mediaType: string }): string {
  return name ?? (mediaType.startsWith("image/") ? "Picture" : "File");
}

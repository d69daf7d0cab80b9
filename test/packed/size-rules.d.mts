export function findWrongSizes(
  tarballs: Record<string, number>,
  bundles: Record<string, { minified: number; compressed: number }>,
  readme: string,
  limits?: Record<string, number>,
): string[];

import { useEffect, useState } from "react";

/** Returns whether `value` has not changed for `ms` milliseconds. */
export function useQuiet(value: string | undefined, ms: number): boolean {
  const [settled, settle] = useState<{ value: string | undefined }>();
  useEffect(() => {
    const timer = setTimeout(() => settle({ value }), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled !== undefined && settled.value === value;
}

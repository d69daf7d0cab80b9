/**
 * Identifies the contents of the index: its tables, the company and what is stored of it. An index of another
 * format is not opened. A test compares this with a built index, and fails with the new value.
 */
export const FORMAT = "ef899748";

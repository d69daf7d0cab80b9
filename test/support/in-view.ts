/** A script that returns the names of elements which are not wholly inside the window. */
export const OUTSIDE = `[...document.querySelectorAll("button, textarea, select, summary")].flatMap((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  return width > 0 && (left < 0 || right > innerWidth) ? [one.getAttribute("aria-label") ?? one.textContent] : [];
})`;

/** A script that returns whether a question's heading and its focused choice are shown. */
export const SEEN = `[".es-clarify legend", ".es-choice:focus"].map((one) => {
  const [at, box] = [one, ".thread"].map((of) => document.querySelector(of).getBoundingClientRect());
  return at.top >= box.top && at.bottom <= box.bottom + 1;
})`;

// Runs in a page before its scripts. React reports every commit to developer tools, also in production.
// Components that were rendered have new props.
const counted = { commits: 0, byMessage: {}, longTasks: [] };
const props = new Map();

new PerformanceObserver((list) => {
  counted.longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)));
}).observe({ type: "longtask" });

function onCommitFiberRoot() {
  counted.commits += 1;
  for (const [place, item] of document.querySelectorAll("li.message").entries()) {
    const key = Object.keys(item).find((name) => name.startsWith("__reactFiber$"));
    const { memoizedProps } = item[key].return;
    if (props.get(place) === memoizedProps) continue;
    props.set(place, memoizedProps);
    counted.byMessage[place] = (counted.byMessage[place] ?? 0) + 1;
  }
}

globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
  supportsFiber: true,
  inject: () => 1,
  onCommitFiberRoot,
  onCommitFiberUnmount() {},
};

globalThis.takeCounted = () => {
  const so = structuredClone(counted);
  Object.assign(counted, { commits: 0, byMessage: {}, longTasks: [] });
  return so;
};

/** Milliseconds that a task may hold the page: beyond them the browser calls it long. */
export const LONG_TASK_MS = 50

/** Milliseconds of the longest task of the page while something happens, 0 where none is above `LONG_TASK_MS`. */
export async function longestTask(page, happens) {
  await page.evaluate(() => {
    globalThis.longTasks = []
    globalThis.observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration)
    })
    globalThis.observer.observe({ type: 'longtask' })
  })
  await happens()
  return page.evaluate(() => {
    globalThis.observer.disconnect()
    return Math.max(0, ...globalThis.longTasks)
  })
}

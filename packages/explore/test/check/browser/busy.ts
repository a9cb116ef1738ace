import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Reads the next page, and resolves when its rows have been painted. Waiting from outside would cost more than they do. */
export const NEXT_PAGE = `new Promise(resolve => {
  new MutationObserver((_, observer) => {
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(resolve))
  }).observe(document.getElementById('rows'), { childList: true })
  document.getElementById('next').click()
})`

/** Milliseconds of processor time that the thread of a page needs while `work` goes on. */
export async function busyMs(page: Page, work: () => Promise<unknown>): Promise<number> {
  const client = await page.context().newCDPSession(page)
  const tasks: { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } }[] = []
  client.on('Tracing.dataCollected', ({ value }) => tasks.push(...(value as unknown as typeof tasks)))
  const ended = new Promise(resolve => client.once('Tracing.tracingComplete', resolve))
  await client.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'] },
  })
  await work()
  await client.send('Tracing.end')
  await ended
  await client.detach()
  const threads = tasks.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const isOfPage = (task: { pid: number; tid: number }) =>
    threads.some(({ pid, tid }) => pid === task.pid && tid === task.tid)
  const own = tasks.filter(task => task.name === 'ThreadControllerImpl::RunTask' && isOfPage(task))
  assert.ok(own.length > 0, 'the thread of the page was found')
  return own.reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0)
}

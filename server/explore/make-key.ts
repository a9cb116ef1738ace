/** Manages the form that creates a key. The page has it only for logged-in users. */
export function makeKey(onMade: (key: string) => Promise<void>, onProblem: (words: string) => unknown): void {
  const form = document.getElementById('make-key')
  if (!(form instanceof HTMLFormElement)) return

  async function make(form: HTMLFormElement): Promise<void> {
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    const body = new URLSearchParams(fields)
    const response = await fetch(form.action, { method: 'POST', body }).catch(() => null)
    if (response?.status === 201) return onMade((await response.json()).key)
    if (response?.status === 403) onProblem('You are no longer logged in: log in, then reload this page.')
    else onProblem('No key could be created: try again in a moment.')
  }

  let isMaking = false
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (isMaking) return
    isMaking = true
    void make(form).finally(() => {
      isMaking = false
    })
  })
}

/**
 * The script of the page that shows a key. It shows the copy buttons, which are hidden without JavaScript, and makes
 * each copy the field that it names. If the Clipboard API is missing (over plain HTTP) or fails, it uses execCommand.
 */
export const COPY_SCRIPT = `for (const button of document.querySelectorAll('button[data-copies]')) {
  const field = document.getElementById(button.dataset.copies)
  const said = document.getElementById(button.dataset.says)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(field.value)
      return true
    } catch {
      field.select()
      return document.execCommand('copy')
    }
  }
  button.hidden = false
  button.addEventListener('click', async () => {
    said.textContent = ''
    said.textContent = (await copy()) ? 'Copied' : 'Not copied: select the text and copy it by hand'
  })
}
`

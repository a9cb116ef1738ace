import assert from 'node:assert/strict'
import { html } from '#server/pages/html.js'

describe('the template of pages', () => {
  it('escapes texts, in and out of quoted attributes', () => {
    const evil = `"><script>alert('1')</script>&amp;\``
    const { text } = html`<p title="${evil}">${evil}</p>`
    const escaped = '&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;amp;&#96;'
    assert.equal(text, `<p title="${escaped}">${escaped}</p>`)
  })

  it('takes markup as it is, also in lists, which texts are not', () => {
    const items = ['<a>', '<b>'].map(each => html`<li>${each}</li>`)
    assert.equal(html`<ul>${items}</ul>`.text, '<ul><li>&#60;a&#62;</li><li>&#60;b&#62;</li></ul>')
    assert.equal(html`${['<a>', ['<b>']]}`.text, '&#60;a&#62;&#60;b&#62;')
  })

  it('leaves out what is not there, but not 0', () => {
    assert.equal(html`${null}|${undefined}|${false}|${''}|${0}`.text, '||||0')
  })
})

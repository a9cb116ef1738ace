import assert from 'node:assert/strict'
import { html } from '#lib/http/html.js'

describe('the template of pages', () => {
  it('escapes strings, inside and outside of quoted attributes', () => {
    const evil = `"><script>alert('1')</script>&amp;\``
    const { text } = html`<p title="${evil}">${evil}</p>`
    const escaped = '&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;amp;&#96;'
    assert.equal(text, `<p title="${escaped}">${escaped}</p>`)
  })

  it('inserts markup unchanged, also in lists, and escapes strings in lists', () => {
    const items = ['<a>', '<b>'].map(each => html`<li>${each}</li>`)
    assert.equal(html`<ul>${items}</ul>`.text, '<ul><li>&#60;a&#62;</li><li>&#60;b&#62;</li></ul>')
    assert.equal(html`${['<a>', ['<b>']]}`.text, '&#60;a&#62;&#60;b&#62;')
  })

  it('omits null, undefined, false and empty strings, but not 0', () => {
    assert.equal(html`${null}|${undefined}|${false}|${''}|${0}`.text, '||||0')
  })
})

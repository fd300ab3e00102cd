"""Every view of `heapquarry open` on a small screen, with a keyboard, and as screen readers meet it."""

from urllib.parse import quote

import pytest
from browser import ask, go, start
from conftest import CORPUS, serving

LEAK = [CORPUS / "leak" / f"{number}.heapsnapshot.gz" for number in (1, 2, 3)]
OF_PROFILES = ("#/flame", "#/tree", "#/callers", "#/functions", "#/packages", "#/function/{function}")
OF_HEAPS = ("#/overview", "#/classes", "#/class/{class}", "#/map", "#/map?view=icicle", "#/containment", "#/owners", "#/find?name=*a*", "#/object/{node}")
TABS = tuple(f"#/object/{{node}}?tab={tab}" for tab in ("held_by", "path", "dominates", "dominators", "engine"))
OF_ALL = ("#/sql", "#/marks")
KINDS = {
    "heap": ([CORPUS / "chromium.heapsnapshot.gz"], OF_HEAPS + TABS),
    "timeline": ([CORPUS / "node12-insession.heaptimeline.gz"], (*OF_HEAPS, "#/object/{node}?tab=allocated", *OF_PROFILES)),
    "series": (LEAK, (*OF_HEAPS, "#/growth")),
    "profile": ([CORPUS / "profiles" / "node26.cpuprofile"], ("#/overview", "#/time", *OF_PROFILES)),
    "trace": ([CORPUS / "traces" / "chromium.trace.json.gz"], ("#/overview", "#/timeline", "#/timeline?slice={slice}", "#/long_tasks", "#/frames", "#/found?text=a", *OF_PROFILES)),
}

# What is wrong with a view: wider than the window; without a name for those who hear it; not to be reached by keys; too
# small to be hit by a finger (WCAG 2.5.8: 24 px, links in sentences and in rows aside).
PROBLEMS = """(() => {
  const found = [];
  const say = (what, e) => found.push(`${what}: ${e.outerHTML.slice(0, 160)}`);
  if (document.documentElement.scrollWidth > innerWidth) {
    for (const e of document.querySelectorAll('body *')) if (e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, .view, .tree, nav')) say('too wide', e);
    found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  }
  const shown = e => e.getClientRects().length > 0 && !e.closest('[aria-hidden=true]');
  const nameOf = e => e.getAttribute('aria-label') || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent
    || [...(e.labels ?? [])].map(label => label.textContent).join('') || (e.matches('input, select, textarea') ? '' : e.textContent) || e.title;
  for (const e of document.querySelectorAll('a[href], button, input, select, textarea, progress, dialog, nav, aside, [role=treegrid], [role=grid], [role=group], [tabindex]')) {
    if (shown(e) && e.id !== 'main' && !(nameOf(e) ?? '').trim() && e.getAttribute('tabindex') !== '-1') say('no name', e);
  }
  for (const e of document.querySelectorAll('[onclick], [role=button]')) if (shown(e) && e.tabIndex < 0) say('no way there by keys', e);
  for (const e of document.querySelectorAll('canvas')) if (!e.closest('[aria-hidden=true]') && !e.getAttribute('aria-label')) say('no name', e);
  for (const e of document.querySelectorAll('.scroll, .view')) if (shown(e) && e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0) say('scrolls, but not by keys', e);
  for (const e of document.querySelectorAll('button:not(.link), select, input, nav a')) {
    const { width, height } = e.getBoundingClientRect();
    if (shown(e) && (width < 24 || height < 24) && e.type !== 'checkbox') say(`${Math.round(width)} x ${Math.round(height)} px`, e);
  }
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of new Set(ids)) if (ids.filter(other => other === id).length > 1) found.push(`two elements have the id ${id}`);
  const heads = [...document.querySelectorAll('main h2, main h3')];
  if (!document.querySelector('main h2') && !document.querySelector('main [id]')) found.push('no heading');
  return found;
})()"""


def filled(served, kind, views):
    """Addresses with what this input has."""
    found = {}
    if kind in ("heap", "timeline", "series"):
        largest = ask(served, "classes", sort="count", top=1)["classes"]["rows"][0]["class_key"]
        found["class"] = quote(largest, safe="")
        found["node"] = ask(served, "dominated")["dominated"]["rows"][0]["id"]
    if kind in ("timeline", "profile", "trace"):
        found["function"] = ask(served, "functions", top=1)["functions"]["rows"][0]["function"]
    if kind == "trace":
        found["slice"] = ask(served, "find", text="a")["slices"]["rows"][0]["slice"]
    return [view.format(**found) for view in views]


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_is_for_everyone(browser, kind):
    inputs, views = KINDS[kind]
    with serving(*inputs) as served:
        start(browser, served, width=400, height=800)
        found = {}
        for view in filled(served, kind, (*views, *OF_ALL)):
            go(browser, view)
            browser.wait("![...document.querySelectorAll('main .list .cell')].some(cell => cell.textContent === '…')")
            if problems := browser.run(PROBLEMS):
                found[view] = problems
        assert found == {}, "\n".join(f"{view}\n  " + "\n  ".join(problems) for view, problems in found.items())
        assert browser.log == []

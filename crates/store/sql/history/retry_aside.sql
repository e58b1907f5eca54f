UPDATE rollup_dirty SET aside = false WHERE aside

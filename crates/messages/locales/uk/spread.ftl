pods-in-domains = { $count ->
    [one] від { $least } до { $most } Podʼів у { $count } домені
   *[other] від { $least } до { $most } Podʼів у { $count } доменах
}

skew-no-constraint = відхилення { $skew }, обмеження немає
skew-hard = відхилення { $skew }, щонайбільше { $limit }
skew-soft = відхилення { $skew }, бажано щонайбільше { $limit }
skew-hard-few-domains = { $wanted ->
    [one] відхилення { $skew }, щонайбільше { $limit }; найпорожніший рахують за 0: { $found } з { $wanted } домену
   *[other] відхилення { $skew }, щонайбільше { $limit }; найпорожніший рахують за 0: { $found } з { $wanted } доменів
}
skew-soft-few-domains = { $wanted ->
    [one] відхилення { $skew }, бажано щонайбільше { $limit }; найпорожніший рахують за 0: { $found } з { $wanted } домену
   *[other] відхилення { $skew }, бажано щонайбільше { $limit }; найпорожніший рахують за 0: { $found } з { $wanted } доменів
}

title = Поширення { $owner } за { $key }
no-constraint = Обмеження немає: де працюють Podʼи його власника.
hard = maxSkew { $limit }: Pod іде лише туди, де найповніший домен матиме щонайбільше на { $limit } більше за найпорожніший. Podʼів, що працюють, ніхто не переміщує.
soft = maxSkew { $limit }, ScheduleAnyway: планувальник віддає перевагу доменам, що цього дотримують.

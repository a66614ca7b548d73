"""Words of four languages that made tables are filled with."""

from collections.abc import Sequence

# ruff: noqa: SIM905 lists of this length read better so
LANGUAGES: dict[str, Sequence[str]] = {
    "en": (
        "annual balance capacity delivery engine factor gauge harbour index journal margin network output pressure "
        "quarter reserve station turbine unit valve winter yield zone region total imports exports households"
    ).split(),
    "de": (
        "Jahr Umsatz Betrag Anteil Bezirk Strom Wasser Haushalt Menge Preis Gewicht Lager Bestand Gemeinde Kosten "
        "Zuschuss Erlös Prüfung Größe Fläche Einwohner Verbrauch insgesamt Leistung Einheit"
    ).split(),
    "fr": (
        "année montant région effectif ménage énergie transport valeur emploi volume recette dépense commune produit "
        "surface solde crédit élève hôpital total unité marché salaire prix part"
    ).split(),
    "es": (
        "año importe región empleo hogar energía valor volumen ingreso gasto municipio producto superficie saldo "
        "crédito alumno total unidad mercado salario precio parte sector nivel población"
    ).split(),
}

/** Splits a list that is written as text. */
const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** First names. Alex is missing: the people called Alex are placed by hand. */
export const firstNames: readonly string[] = list(`
  Ada Adrian Aisha Amara Amir Ana Anders Anika Anton Aoife Arjun Astrid Beatriz Ben Bianca Bruno Camille Carlos
  Cecilia Chidi Clara Damian Dana Daniel Delia Dmitri Edda Elena Elif Emeka Emil Erik Esther Farid Fatima Felix
  Fiona Gabriel Greta Hana Hannes Hugo Ibrahim Ida Ilse Imani Ines Isak Ivan Jana Javier Joao Jonas Julia Kaia
  Karim Katja Kenji Kofi Lars Laura Leila Leo Liam Lina Lucas Magda Malik Mara Marco Maren Mateo Mei Milan Mina
  Mira Nadia Nils Noah Noor Olga Omar Oscar Paula Pedro Petra Priya Quentin Rafael Rania Ravi Rosa Ruben Sana
  Sarah Selma Simon Sofia Stefan Sven Tara Tariq Theo Tomas Uma Vera Viktor Wanda Yara Yusuf Zoe`);

/** Last names. */
export const lastNames: readonly string[] = list(`
  Abara Adeyemi Ahlberg Almeida Andersen Aoki Arslan Baker Banerjee Barros Becker Bennett Bergman Bianchi Blom
  Bouchard Brandt Calder Castillo Chandra Costa Dahl Delgado Demir Duarte Eklund Eriksen Farrell Fischer Fontaine
  Forde Fujita Garner Ghosh Grant Haddad Halloran Hansen Hartmann Hassan Hoang Holm Ibarra Iyer Jansen Jensen
  Kapoor Karlsen Kaya Keller Khan Kimura Klein Kovacs Kruger Larsen Lindgren Lopes Lund Madsen Mahler Marchetti
  Martins Mbeki Mehta Meyer Mori Nakamura Nair Navarro Nguyen Nilsen Novak Nwosu Okafor Olsen Ortega Osei Pavlov
  Pereira Petrov Quinn Rahman Ramos Reyes Richter Romero Rossi Ryan Saito Salonen Santos Schmitt Sharma Silva
  Sokolov Soto Strand Suzuki Tanaka Thorne Toledo Torres Ueda Varga Vasquez Vogel Wagner Weber Winter Yamada Zeller`);

/** Projects of the workspace `harborline`. */
export const projects: readonly string[] = list(`
  Bluefin Marigold Compass Lantern Osprey Juniper Basalt Cobalt Driftwood Ember Falcon Granite Heron Icefield
  Jasmine Kestrel Larkspur Meridian Nimbus Obsidian Parallax Quartz Ridgeway Saffron Tamarind Umbra Vesper
  Willow Xenon Yarrow Zephyr Anchorage Birchwood Cascade Dovetail Evergreen Foxglove Gossamer Harvest Ironbark
  Keystone Lighthouse Monsoon Northstar Orchard Palisade Quicksand Rosewood Sandpiper Thistle Undertow Vermilion`);

/** Projects of the workspace `lumen`. */
export const lumenProjects: readonly string[] = list(
  "Photon Prism Aurora Filament Halogen Refract Spectra Corona",
);

/** The halves of customers' names. */
export const customerStarts: readonly string[] = list(`
  Tessera Norvik Albion Castor Delphi Everly Fenwick Gallant Hollis Inverness Jutland Kenning Lomond Medway Navarre
  Oakley Pemberton Quill Rothwell Severn Tilbury Ulster Vantage Wexford Yarmouth Zennor Arden Brisco Calloway
  Dunmore`);
export const customerEnds: readonly string[] = list(
  "Foods Marine Logistics Energy Textiles Health Retail Capital",
);
